/**
 * ConsentSheet: { dialog, others, guard, onAnswered, onMinimise } – one consent (K3, K4). Not modal: the transcript stays in
 * reach. The buttons stand below whatever the server wrote, however long it is.
 */
import Minus from "lucide-solid/icons/minus";
import { createSignal, createUniqueId, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { DialogAnswer, DialogView, Problem } from "../../../worker/api";
import { Button, IconButton } from "../../parts/button";
import { useNow } from "../../parts/clock";
import { Problems } from "../../parts/problems";
import { dollars, timeFrom, timeLeft } from "../../parts/words";
import { serverNamed } from "../../projection";
import { purser } from "../../worker-client";
import { announce } from "./announcer";
import type { Guard } from "./arming";
import style from "./consent.module.css";
import { Knows } from "./knows";
import { againWords, termsKey } from "./terms";
import { TheirName } from "./their-name";
import { useGuard } from "./use-guard";
import { Written } from "./written";

const ANSWERED: Readonly<Record<DialogAnswer, string>> = {
  allow_session: "Allowed for this session.",
  allow_once: "Allowed once.",
  deny: "Denied.",
  deny_and_mute: "Denied and muted.",
};

const ESCAPE = "Escape does not answer. Choose a button, or minimise this to decide later.";

interface SheetProps {
  readonly dialog: DialogView;
  /** Consents of other servers that wait as chips. */
  readonly others: number;
  readonly guard: Guard;
  readonly onAnswered: () => void;
  readonly onMinimise: () => void;
}

export function ConsentSheet(props: SheetProps): JSX.Element {
  const id = createUniqueId();
  let sheet: HTMLDialogElement | undefined;
  let first: HTMLElement | undefined;
  const [escaped, setEscaped] = createSignal(false);
  const before = document.activeElement;
  onMount(() => {
    // Above another open modal dialog it must be modal itself, or it could not be reached.
    if (document.querySelector("dialog:modal") === null) sheet?.show();
    else sheet?.showModal();
    first?.focus({ preventScroll: true });
  });
  onCleanup(() => {
    const held = sheet?.contains(document.activeElement) ?? false;
    sheet?.close();
    if (held && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  return (
    <dialog
      ref={(element) => {
        sheet = element;
        // Browsers close a modal dialog on the second Escape unless told not to; the types do not know it yet.
        element.setAttribute("closedby", "none");
      }}
      class={style.sheet}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-lead`}
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        setEscaped(true);
        announce(ESCAPE);
      }}
    >
      <div class={style.head}>
        <h2 id={`${id}-title`}>Consent for {props.dialog.server}</h2>
        <IconButton label="Minimise" of={Minus} small onClick={() => props.onMinimise()} />
      </div>
      {/* The one part that scrolls, also by keyboard. */}
      <section class={style.body} tabindex={0} aria-label="What it asks">
        <Show when={againWords(props.dialog)}>{(words) => <p class={style.lead}>{words()}</p>}</Show>
        <Lead id={`${id}-lead`} dialog={props.dialog} />
        <Knows dialog={props.dialog} />
        <Written dialog={props.dialog} />
      </section>
      <Answers
        {...props}
        escaped={escaped()}
        first={(element) => {
          first = element;
        }}
      />
    </dialog>
  );
}

function Lead(props: { readonly id: string; readonly dialog: DialogView }): JSX.Element {
  return (
    <p id={props.id} class={style.lead}>
      <strong>{props.dialog.server}</strong> <span class={style.host}>({props.dialog.host})</span> asks to run a
      language model{" "}
      <Show when={props.dialog.tool} fallback="outside any tool call of yours.">
        {(tool) => (
          <>
            for your call of its tool <TheirName of={tool()} />.
          </>
        )}
      </Show>
    </p>
  );
}

interface AnswersProps extends SheetProps {
  readonly escaped: boolean;
  readonly first: (element: HTMLElement) => void;
}

function Answers(props: AnswersProps): JSX.Element {
  const hint = createUniqueId();
  const now = useNow();
  const live = useGuard(props.guard, () => termsKey(props.dialog));
  const [busy, setBusy] = createSignal<DialogAnswer | null>(null);
  const [problems, setProblems] = createSignal<readonly Problem[]>([]);
  const mutedUntil = () => serverNamed(props.dialog.server)?.gauge.resetsAt ?? props.dialog.untilAt;

  const give = (answer: DialogAnswer) => (event: MouseEvent) => {
    const kind = answer.startsWith("allow") ? "allow" : "deny";
    if (busy() !== null || !live.mayClick(kind, event)) return;
    void send(answer);
  };
  const send = async (answer: DialogAnswer) => {
    setBusy(answer);
    props.onAnswered();
    const reply = await purser.answerDialog(props.dialog.id, answer);
    setBusy(null);
    setProblems(reply.ok ? [] : reply.problems);
    if (reply.ok) announce(ANSWERED[answer]);
  };
  const disarmed = () => (live.armed() ? undefined : "true");

  return (
    <div class={style.foot}>
      <Waiting dialog={props.dialog} others={props.others} now={now()} />
      <Problems problems={problems()} />
      <div class={style.answers}>
        <Button
          ref={(element: HTMLElement) => props.first(element)}
          aria-describedby={hint}
          busy={busy() === "deny"}
          onClick={give("deny")}
        >
          Deny
        </Button>
        <Button busy={busy() === "deny_and_mute"} onClick={give("deny_and_mute")}>
          Deny and mute until {timeFrom(mutedUntil(), now())}
        </Button>
        <Button aria-disabled={disarmed()} busy={busy() === "allow_once"} onClick={give("allow_once")}>
          Allow this one
        </Button>
        <Show when={props.dialog.mode === "per_session"}>
          <Button aria-disabled={disarmed()} busy={busy() === "allow_session"} onClick={give("allow_session")}>
            Allow for this session up to {dollars(props.dialog.ceilingMicros)}
          </Button>
        </Show>
      </div>
      <p id={hint} class={style.hint}>
        Deny: this same request is not asked again until you forget it or change the policy.
      </p>
      <Show when={props.escaped}>
        <p class={style.escape}>{ESCAPE}</p>
      </Show>
    </div>
  );
}

/** Until when an answer is in time, and what happens after (K5). */
function Waiting(props: { readonly dialog: DialogView; readonly others: number; readonly now: number }): JSX.Element {
  const left = () => Math.max(0, props.dialog.answerByAt - props.now);
  return (
    <p class={style.waiting}>
      <Show
        when={props.dialog.late || left() === 0}
        fallback={
          <>
            <strong>{timeLeft(left())}</strong> to answer; then {props.dialog.server} is told to come back.
          </>
        }
      >
        <strong>{props.dialog.server} was told to come back.</strong> If you allow, its next try is served.
      </Show>{" "}
      <Show when={props.dialog.waitingBehind > 0}>
        {props.dialog.waitingBehind} more of its {props.dialog.waitingBehind === 1 ? "requests waits" : "requests wait"}{" "}
        behind this one.
      </Show>{" "}
      <Show when={props.others > 0}>
        {props.others} other {props.others === 1 ? "server waits" : "servers wait"} for you too.
      </Show>
    </p>
  );
}
