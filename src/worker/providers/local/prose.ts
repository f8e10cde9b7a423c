/**
 * The sentences of a text that say most of what the others say: LexRank (Erkan and Radev 2004), continuous form,
 * over at most 200 sentences.
 */
const TEXT_MAX = 60_000;
const SENTENCES_MAX = 200;
const SENTENCE_MAX = 600;
const DAMPING = 0.85;
const ROUNDS = 30;

/** Up to `wanted` sentences in the order of the text. */
export function centralSentences(text: string, wanted: number): readonly string[] {
  const sentences = sentencesOf(text);
  if (sentences.length <= wanted) return sentences;
  const ranks = lexRank(sentences.map(wordsOf));
  return sentences
    .map((sentence, at) => ({ sentence, at, rank: ranks[at] ?? 0 }))
    .sort((a, b) => b.rank - a.rank || a.at - b.at)
    .slice(0, wanted)
    .sort((a, b) => a.at - b.at)
    .map(({ sentence }) => sentence);
}

function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(text.slice(0, TEXT_MAX))) {
    const sentence = segment.replace(/\s+/g, " ").trim();
    if (!/[\p{L}\p{N}]/u.test(sentence)) continue;
    sentences.push(sentence.slice(0, SENTENCE_MAX));
    if (sentences.length === SENTENCES_MAX) break;
  }
  return sentences;
}

function wordsOf(sentence: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  for (const { segment, isWordLike } of segmenter.segment(sentence.toLowerCase())) {
    if (isWordLike) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  }
  return counts;
}

function lexRank(sentences: readonly ReadonlyMap<string, number>[]): readonly number[] {
  const vectors = weighted(sentences);
  const rows = vectors.map((a) => normalised(vectors.map((b) => cosine(a, b))));
  let ranks: readonly number[] = sentences.map(() => 1 / sentences.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = ranks;
    ranks = before.map((_, to) => {
      let received = 0;
      for (const [from, rank] of before.entries()) received += rank * (rows[from]?.[to] ?? 0);
      return (1 - DAMPING) / before.length + DAMPING * received;
    });
  }
  return ranks;
}

/** Term frequency × inverse sentence frequency. */
function weighted(sentences: readonly ReadonlyMap<string, number>[]): readonly ReadonlyMap<string, number>[] {
  const spread = new Map<string, number>();
  for (const words of sentences) for (const word of words.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  return sentences.map(
    (words) =>
      new Map(
        [...words].map(([word, count]) => [word, count * Math.log(1 + sentences.length / (spread.get(word) ?? 1))]),
      ),
  );
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let product = 0;
  for (const [word, weight] of a) product += weight * (b.get(word) ?? 0);
  const length = Math.sqrt(squares(a) * squares(b));
  return length === 0 ? 0 : product / length;
}

function squares(vector: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const weight of vector.values()) sum += weight * weight;
  return sum;
}

function normalised(row: readonly number[]): readonly number[] {
  const sum = row.reduce((total, value) => total + value, 0);
  return sum === 0 ? row : row.map((value) => value / sum);
}
