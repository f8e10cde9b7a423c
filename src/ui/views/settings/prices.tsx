/** The price table with its day, and the person's own price for a model (M1). */
import { createSignal, For, type JSX, Show } from "solid-js";
import type { Price, PriceRow } from "../../../worker/api";
import { Button } from "../../parts/button";
import { createCommand } from "../../parts/command";
import { Dialog } from "../../parts/dialog";
import { Field, NumberInput } from "../../parts/field";
import { Problems } from "../../parts/problems";
import { VisuallyHidden } from "../../parts/visually-hidden";
import { count, dollars } from "../../parts/words";
import { purser } from "../../worker-client";
import { microsOf, usdText } from "../policy/draft";
import style from "./settings.module.css";

export function Prices(props: { readonly rows: readonly PriceRow[]; readonly asOf: string }): JSX.Element {
  const [editing, setEditing] = createSignal<string | null>(null);
  const row = (): PriceRow | undefined => props.rows.find(({ model }) => model === editing());
  return (
    <section class={style.section} aria-labelledby="settings-prices">
      <h2 id="settings-prices">Prices</h2>
      <p class={style.soft}>
        Dollars per million tokens, from the table of {props.asOf}. A model without a price is refused, not free.
      </p>
      {/* A table may scroll sideways, so it takes focus. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <section class={style.tableFrame} tabIndex={0} aria-label="Price table">
        <table class={style.table}>
          <VisuallyHidden as="caption">Prices</VisuallyHidden>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col" class={style.figure}>
                In
              </th>
              <th scope="col" class={style.figure}>
                Out
              </th>
              <th scope="col" class={style.figure}>
                Cache read
              </th>
              <th scope="col" class={style.figure}>
                Cache write
              </th>
              <th scope="col">From</th>
              <th scope="col" class={style.pinned}>
                <VisuallyHidden>Edit</VisuallyHidden>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.rows}>{(row) => <Row row={row} onEdit={() => setEditing(row.model)} />}</For>
          </tbody>
        </table>
      </section>
      <Dialog open={row() !== undefined} onClose={() => setEditing(null)} title={`Price of ${editing() ?? ""}`}>
        <Show when={row()}>{(found) => <PriceForm row={found()} onDone={() => setEditing(null)} />}</Show>
      </Dialog>
    </section>
  );
}

function Row(props: { readonly row: PriceRow; readonly onEdit: () => void }): JSX.Element {
  const price = (): Price | null => props.row.price;
  return (
    <tr>
      <th scope="row" class={style.model}>
        {props.row.model}
        <span class={style.by}>{props.row.provider}</span>
      </th>
      <Show
        when={price()}
        fallback={
          <td colSpan={5} class={style.soft}>
            no price: requests for it are refused
          </td>
        }
      >
        {(known) => (
          <>
            <Cell price={known()} of="inputMicros" bands />
            <Cell price={known()} of="outputMicros" />
            <Cell price={known()} of="cacheReadMicros" />
            <Cell price={known()} of="cacheWriteMicros" />
            <td class={style.soft}>
              {known().source === "override" ? "you" : "table"}, {known().asOf}
            </td>
          </>
        )}
      </Show>
      <td class={`${style.figure} ${style.pinned}`}>
        <Button small aria-label={`Edit price of ${props.row.model}`} onClick={() => props.onEdit()}>
          Edit
        </Button>
      </td>
    </tr>
  );
}

/** One line per band of prompt sizes. */
function Cell(props: {
  readonly price: Price;
  readonly of: "inputMicros" | "outputMicros" | "cacheReadMicros" | "cacheWriteMicros";
  readonly bands?: boolean;
}): JSX.Element {
  return (
    <td class={style.figure}>
      <For each={props.price.bands}>
        {(band) => (
          <span class={style.band}>
            <Show when={props.bands && props.price.bands.length > 1}>
              <span class={style.bandOf}>
                {band.upToInputTokens === null ? "beyond" : `to ${count(band.upToInputTokens)}`}{" "}
              </span>
            </Show>
            {band[props.of] === 0 ? "free" : dollars(band[props.of])}
          </span>
        )}
      </For>
    </td>
  );
}

const PARTS = [
  { key: "inputMicros", label: "Input (USD per million)" },
  { key: "outputMicros", label: "Output (USD per million)" },
  { key: "cacheReadMicros", label: "Cache read (USD per million)" },
  { key: "cacheWriteMicros", label: "Cache write (USD per million)" },
] as const;
type PartKey = (typeof PARTS)[number]["key"];
type Figures = Readonly<Record<PartKey, string>>;

function PriceForm(props: { readonly row: PriceRow; readonly onDone: () => void }): JSX.Element {
  const command = createCommand();
  const band = props.row.price?.bands.at(-1);
  const start = (key: PartKey): string => (band === undefined ? "" : usdText(band[key]));
  const [figures, setFigures] = createSignal<Figures>({
    inputMicros: start("inputMicros"),
    outputMicros: start("outputMicros"),
    cacheReadMicros: start("cacheReadMicros"),
    cacheWriteMicros: start("cacheWriteMicros"),
  });
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const read = PARTS.map(({ key }) => [key, microsOf(figures()[key])] as const);
    const wrong = read.filter(([, micros]) => micros === null);
    if (wrong.length > 0) {
      return command.report(
        wrong.map(([key]) => ({ where: key, message: "An amount in dollars such as 0.50; 0 is free." })),
      );
    }
    const price = Object.fromEntries(read) as Record<PartKey, number>;
    if ((await command.run(() => purser.setPrice(props.row.model, price))) !== null) props.onDone();
  };
  const back = async (): Promise<void> => {
    if ((await command.run(() => purser.setPrice(props.row.model, null))) !== null) props.onDone();
  };
  return (
    <form class={style.block} novalidate onSubmit={(event) => void save(event)}>
      <p class={style.soft}>
        Yours replaces the table's, for every size of prompt, from the next decision on. What was charged stays charged.
      </p>
      <div class={style.two}>
        <For each={PARTS}>
          {(part) => (
            <Field label={part.label} error={command.at(part.key)}>
              {(control) => (
                <NumberInput
                  control={control}
                  value={figures()[part.key]}
                  onInput={(text) => setFigures((old) => ({ ...old, [part.key]: text }))}
                />
              )}
            </Field>
          )}
        </For>
      </div>
      <Problems problems={command.elsewhere(...PARTS.map(({ key }) => key))} />
      <div class={style.actions}>
        <Button type="submit" tone="primary" busy={command.busy()}>
          Save price
        </Button>
        <Show when={props.row.price?.source === "override"}>
          <Button busy={command.busy()} onClick={() => void back()}>
            Back to the table
          </Button>
        </Show>
        <Button tone="quiet" onClick={() => props.onDone()}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
