import { readdir, readFile } from "node:fs/promises";

export interface Hit {
  readonly title: string;
  readonly snippet: string;
}

const FOLDER = new URL("pages/", import.meta.url);
const HITS = 3;

/** The paragraphs that hold most of the query's words, best first, one for each page. */
export async function searchWiki(query: string): Promise<readonly Hit[]> {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".md")).sort();
  const pages = await Promise.all(names.map((name) => readFile(new URL(name, FOLDER), "utf8")));
  return pages
    .map((page) => bestOf(page, words))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, HITS)
    .map(({ title, snippet }) => ({ title, snippet }));
}

function bestOf(page: string, words: readonly string[]): Hit & { readonly score: number } {
  const [heading = "", ...paragraphs] = page.split(/\n\n+/);
  const title = heading.replace(/^# /, "").trim();
  const scored = paragraphs.map((snippet) => {
    const text = `${title} ${snippet}`.toLowerCase();
    return { title, snippet: snippet.trim(), score: words.filter((word) => text.includes(word)).length };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best), { title, snippet: "", score: 0 });
}
