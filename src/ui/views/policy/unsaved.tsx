/** The question before changes are thrown away. */
import type { JSX } from "solid-js";
import { Button } from "../../parts/button";
import { Dialog } from "../../parts/dialog";

export interface Leaving {
  /** What the person was about to do. */
  readonly go: () => void;
}

export function UnsavedDialog(props: {
  readonly leaving: Leaving | null;
  readonly onStay: () => void;
  readonly onLeave: (go: () => void) => void;
}): JSX.Element {
  return (
    <Dialog
      open={props.leaving !== null}
      onClose={() => props.onStay()}
      title="Leave without saving?"
      role="alertdialog"
      footer={
        <>
          <Button autofocus onClick={() => props.onStay()}>
            Keep editing
          </Button>
          <Button
            tone="danger"
            onClick={() => {
              const leaving = props.leaving;
              if (leaving !== null) props.onLeave(leaving.go);
            }}
          >
            Discard the changes
          </Button>
        </>
      }
    >
      <p>What was changed here is not saved. What holds is what was saved last.</p>
    </Dialog>
  );
}
