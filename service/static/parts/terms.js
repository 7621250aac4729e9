// What the parts of scores and the signals of the networks are called for people.

export const TERMS = {
  belongs: "belongs to the route",
  slot: "fills a place that is open",
  field: "makes what is missing",
  alike: "much like one that is there",
  similarity: "meaning",
  vote: "similar requests",
  neighbour: "seen beside",
  producer: "makes what is missing",
};
export const SIGNALS = {
  similarity: "text means the same",
  words: "words in common",
  vote: "used by similar requests",
  entry_vote: "began similar requests",
  nearest: "the nearest request used it",
  tool_frequency: "used often",
  from_votes: "seen after those",
  flow_in: "seen after candidates",
  flow_out: "seen before candidates",
  ready: "inputs at hand",
  missing: "inputs missing",
};
export const ORDER = {
  member: "belongs to the route",
  slot: "fits this place",
  ready: "inputs at hand",
  entry: "began similar requests",
  before: "seen before the others",
  follows: "seen after the one before",
  fed: "takes what was just made",
  recalled: "as a similar request went",
  blocked: "inputs missing",
  waits: "waits for others",
};
