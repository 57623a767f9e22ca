// How the search ranks: as Sphinx does, but a place on a page (a section, a theorem, a function)
// whose name was asked for stands before pages on which the words occur.
var Scorer = {
  score: ([, , place, , score]) => (place ? 3 * score : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
