// What stands beside the scripts of a page: of LiveFigure's modules where it shows one, the table of
// the kinds of its figures, what Sphinx's searchtools.js has, and the statements of other pages.

import type * as grid from "../../lib/linear_icl_book/live/grid.js";
import type * as scales from "../../lib/linear_icl_book/live/scales.js";
import type { Context, Trait } from "../../lib/linear_icl_book/live/types";

declare global {
  const isName: typeof grid.isName;
  const locate: typeof grid.locate;
  const plain: typeof scales.plain;
  const kinds: Record<string, { traits?: Record<string, Trait>; render(context: Context): () => void }>;
  const Search: { htmlToText(html: string, anchor?: string): string };
  interface Window {
    statements: Record<string, { boxes: Record<string, string>; outlines: Record<string, string> }>;
  }
}
