/** The dialog "Add a server"; `openAddServer()` opens it from anywhere. */
import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX } from "solid-js";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Dialog } from "../../parts/dialog";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import style from "./add-server.module.css";
import { EndpointFields } from "./endpoint-fields";
import { createHeaderRows, headerFields, headersOf } from "./header-rows";
import { readPasted } from "./paste";
import { serverPath } from "./paths";

const [open, setOpen] = createSignal(false);

export function openAddServer(): void {
  setOpen(true);
}

export function AddServerDialog(): JSX.Element {
  return (
    <Dialog
      open={open()}
      onClose={() => setOpen(false)}
      title="Add a server"
      description="Its name is yours to choose and is what Purser goes by, whatever the server calls itself. A new server may run tools; asking for a model stays off until you enable it in its policy."
    >
      <AddServerForm />
    </Dialog>
  );
}

function AddServerForm(): JSX.Element {
  const navigate = useNavigate();
  const command = createCommand();
  const [name, setName] = createSignal("");
  const [url, setUrl] = createSignal("");
  const headers = createHeaderRows();

  /** A URL or a client's configuration pasted into either field fills them all. */
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = readPasted(event.clipboardData?.getData("text/plain") ?? "");
    if (pasted === null) return;
    event.preventDefault();
    setUrl(pasted.url);
    if (name().trim() === "") setName(pasted.name);
    if (pasted.headers.length > 0) headers.set(pasted.headers);
  };

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const input = { name: name(), url: url(), headers: headersOf(headers.rows()), connect: true };
    if ((await command.run(() => purser.addServer(input))) === null) return;
    setOpen(false);
    navigate(serverPath(name().trim().normalize("NFC")));
  };

  return (
    <form class={style.form} novalidate onSubmit={(event) => void submit(event)} onPaste={onPaste}>
      <EndpointFields
        name={{ value: name(), onInput: setName, error: command.at("name") }}
        url={{ value: url(), onInput: setUrl, error: command.at("url") }}
        headers={headers}
        headerProblem={(where) => command.at(where)}
      />
      <Problems problems={command.elsewhere("name", "url", ...headerFields(headers.rows()))} />
      <div class={style.actions}>
        <Button onClick={() => setOpen(false)}>Cancel</Button>
        <Button type="submit" tone="primary" busy={command.busy()}>
          Connect
        </Button>
      </div>
    </form>
  );
}
