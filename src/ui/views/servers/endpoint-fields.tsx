/** Name, URL and headers of a server, as asked for when it is added and when it is edited. */
import Plus from "lucide-solid/icons/plus";
import X from "lucide-solid/icons/x";
import { Index, type JSX, Show } from "solid-js";
import { Button, IconButton } from "../../parts/button";
import { Field, TextInput } from "../../parts/field";
import style from "./add-server.module.css";
import type { HeaderRows } from "./header-rows";
import { readHeaderLine } from "./paste";

interface TextField {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly error: string | undefined;
}

export function EndpointFields(props: {
  /** Absent when the server has its name already. */
  readonly name?: TextField;
  readonly url: TextField;
  readonly headers: HeaderRows;
  readonly hideHeaders?: boolean;
  readonly headerProblem: (where: string) => string | undefined;
}): JSX.Element {
  return (
    <>
      <Show when={props.name}>
        {(name) => (
          <Field label="Name" hint="For example ci-triage." error={name().error}>
            {(control) => (
              <TextInput
                control={control}
                value={name().value}
                onInput={name().onInput}
                required
                maxlength={64}
                autofocus
              />
            )}
          </Field>
        )}
      </Show>
      <Field
        label="URL"
        hint="The server's MCP endpoint: https, http, wss or ws. You may paste another client's JSON here."
        error={props.url.error}
      >
        {(control) => (
          <TextInput
            control={control}
            value={props.url.value}
            onInput={props.url.onInput}
            inputmode="url"
            placeholder="https://host/mcp"
            required
          />
        )}
      </Field>
      <Show when={!props.hideHeaders}>
        <Headers headers={props.headers} problem={props.headerProblem} />
      </Show>
    </>
  );
}

function Headers(props: {
  readonly headers: HeaderRows;
  readonly problem: (where: string) => string | undefined;
}): JSX.Element {
  const pasteInto = (at: number, event: ClipboardEvent): void => {
    const header = readHeaderLine(event.clipboardData?.getData("text/plain") ?? "");
    if (header === null) return;
    event.preventDefault();
    event.stopPropagation();
    props.headers.edit(at, header);
  };
  return (
    <fieldset class={style.headers}>
      <legend class={style.legend}>Headers</legend>
      <Index each={props.headers.rows()}>
        {(row, at) => (
          <div class={style.headerRow}>
            <Field label="Header name" error={props.problem(`headers.${row().name.trim()}`)}>
              {(control) => (
                <TextInput
                  control={control}
                  value={row().name}
                  placeholder="Authorization"
                  onPaste={(event) => pasteInto(at, event)}
                  onInput={(name) => props.headers.edit(at, { name })}
                />
              )}
            </Field>
            <Field label="Header value">
              {(control) => (
                <TextInput
                  control={control}
                  value={row().value}
                  onInput={(value) => props.headers.edit(at, { value })}
                />
              )}
            </Field>
            <IconButton label={`Remove header ${row().name}`.trim()} of={X} onClick={() => props.headers.remove(at)} />
          </div>
        )}
      </Index>
      <Show when={props.problem("headers")}>
        <p role="alert" class={style.problem}>
          {props.problem("headers")}
        </p>
      </Show>
      <div>
        <Button small icon={Plus} onClick={props.headers.add}>
          Add a header
        </Button>
      </div>
      <p class={style.hint}>
        Sent with every request to this server, for example a token. Kept in this browser; never shown again.
      </p>
    </fieldset>
  );
}
