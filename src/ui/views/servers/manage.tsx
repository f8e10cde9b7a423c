/** Changing a server's address, and letting it go. */
import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import type { ServerView } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Dialog } from "../../parts/dialog";
import { Checkbox } from "../../parts/field";
import { Problems } from "../../parts/problems";
import { purser } from "../../worker-client";
import form from "./add-server.module.css";
import { EndpointFields } from "./endpoint-fields";
import { createHeaderRows, headerFields, headersOf } from "./header-rows";
import style from "./server-view.module.css";

export function Leave(props: { readonly server: ServerView }): JSX.Element {
  const [open, setOpen] = createSignal<"edit" | "remove" | null>(null);
  const close = (): void => {
    setOpen(null);
  };
  return (
    <section class={style.buttons}>
      <Button small onClick={() => setOpen("edit")}>
        Edit address
      </Button>
      <Button small tone="danger" onClick={() => setOpen("remove")}>
        Remove
      </Button>
      <Dialog open={open() === "edit"} onClose={close} title={`Address of ${props.server.name}`}>
        <EditForm server={props.server} onDone={close} />
      </Dialog>
      <Dialog open={open() === "remove"} onClose={close} title={`Remove ${props.server.name}?`} role="alertdialog">
        <Removal server={props.server} onDone={close} />
      </Dialog>
    </section>
  );
}

function Removal(props: { readonly server: ServerView; readonly onDone: () => void }): JSX.Element {
  const navigate = useNavigate();
  const command = createCommand();
  const remove = async (): Promise<void> => {
    const { name } = props.server;
    if ((await command.run(() => purser.removeServer(name))) === null) return;
    props.onDone();
    navigate("/servers");
  };
  return (
    <>
      <p>
        It is disconnected; its stored decisions, holds and grants go with it. Its records and the revisions of its
        policy stay in the log.
      </p>
      <Problems problems={command.problems()} />
      <div class={form.actions}>
        <Button autofocus onClick={() => props.onDone()}>
          Keep it
        </Button>
        <Button tone="danger" busy={command.busy()} onClick={() => void remove()}>
          Remove the server
        </Button>
      </div>
    </>
  );
}

function EditForm(props: { readonly server: ServerView; readonly onDone: () => void }): JSX.Element {
  const command = createCommand();
  const [url, setUrl] = createSignal(props.server.url);
  const [autoConnect, setAutoConnect] = createSignal(props.server.autoConnect);
  const [replace, setReplace] = createSignal(props.server.headerNames.length === 0);
  const headers = createHeaderRows();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const rows = headers.rows();
    const untouched = !replace() || (props.server.headerNames.length === 0 && rows.length === 0);
    const input = { url: url(), headers: untouched ? null : headersOf(rows), autoConnect: autoConnect() };
    if ((await command.run(() => purser.editServer(props.server.name, input))) !== null) props.onDone();
  };
  return (
    <form class={form.form} novalidate onSubmit={(event) => void submit(event)}>
      <Show when={props.server.headerNames.length > 0}>
        <Checkbox
          label="Replace the headers"
          hint={`Kept now: ${props.server.headerNames.join(", ")}. Their values are never shown.`}
          checked={replace()}
          onChange={setReplace}
        />
      </Show>
      <EndpointFields
        url={{ value: url(), onInput: setUrl, error: command.at("url") }}
        headers={headers}
        hideHeaders={!replace()}
        headerProblem={(where) => command.at(where)}
      />
      <Checkbox label="Connect when Purser opens" checked={autoConnect()} onChange={setAutoConnect} />
      <Problems problems={command.elsewhere("url", ...headerFields(headers.rows()))} />
      <div class={form.actions}>
        <Button onClick={() => props.onDone()}>Cancel</Button>
        <Button type="submit" tone="primary" busy={command.busy()}>
          Save address
        </Button>
      </div>
    </form>
  );
}
