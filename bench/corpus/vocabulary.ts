import { type Random, Zipf } from './random.ts';

const VOCABULARY_WORDS = 30_000;
const TOPIC_WORDS = 120;

/** Close to English text; see Piantadosi 2014 for the range seen in natural languages. */
const ZIPF_EXPONENT = 1.05;

/** Function words have the first ranks of a language; words with meaning begin about here. */
const ZIPF_SHIFT = 25;

/** The part of running text that has nothing to do with its topic. */
const GENERAL_SHARE = 0.45;

const ONSETS = 'b c d f g h k l m n p r s t v w z bl br ch cl cr dr fl gr pl pr qu sh sl sp st str th tr'.split(' ');
const VOWELS = 'a e i o u ai ea ee io oa ou'.split(' ');
const CODAS = ['', '', '', 'n', 'r', 's', 't', 'l', 'm', 'ck', 'nd', 'nt', 'st', 'x'];

/** What tools do; real catalogs use few verbs very often. */
const VERBS =
  'get list create update delete search find send read write fetch add remove query run set check upload export import'.split(
    ' ',
  );

const FUNCTION_WORDS = 'the a of to and in for with from by on is or an as at this that it be'.split(' ');

export interface Topic {
  readonly words: readonly string[];
}

/** Word-like terms with the frequencies of a language, and topics that each favor a few of them. */
export class Vocabulary {
  readonly topics: readonly Topic[];
  readonly #words: readonly string[];
  readonly #general = new Zipf(VOCABULARY_WORDS, ZIPF_EXPONENT, ZIPF_SHIFT);
  readonly #topical = new Zipf(TOPIC_WORDS, 0.8);

  constructor(random: Random, topics: number) {
    const words = new Set<string>();
    while (words.size < VOCABULARY_WORDS) words.add(inventWord(random));
    this.#words = [...words];
    this.topics = Array.from({ length: topics }, () => ({ words: this.#favorites(random) }));
  }

  /** One word with meaning: of the topic or of the language at large. */
  word(random: Random, topic: Topic): string {
    if (random.unit() < GENERAL_SHARE) return this.#words[this.#general.draw(random)]!;
    return this.topicWord(random, topic);
  }

  topicWord(random: Random, topic: Topic): string {
    return topic.words[this.#topical.draw(random)]!;
  }

  /** What somebody types who looks for something of the topic: two to six words, often beginning with a verb. */
  question(random: Random, topic: Topic): string {
    const words = Array.from({ length: random.between(2, 6) }, () => this.word(random, topic));
    if (random.unit() < 0.4) words[0] = random.pick(VERBS);
    return words.join(' ');
  }

  /** `terms` words with meaning, in sentences with function words between them. */
  prose(random: Random, topic: Topic, terms: number): string {
    const sentences: string[] = [];
    let left = terms;
    while (left > 0) {
      const length = Math.min(left, random.between(6, 14));
      const words: string[] = [];
      for (let i = 0; i < length; i++) {
        if (i > 0 && random.unit() < 0.4) words.push(random.pick(FUNCTION_WORDS));
        words.push(this.word(random, topic));
      }
      sentences.push(`${capital(words[0]!)} ${words.slice(1).join(' ')}`.trim());
      left -= length;
    }
    return `${sentences.join('. ')}.`;
  }

  /** `list_word_word`, `listWordWord` or `list-word`. */
  toolName(random: Random, topic: Topic): string {
    const nouns = Array.from({ length: random.between(1, 2) }, () => this.topicWord(random, topic));
    const verb = random.pick(VERBS);
    const style = random.unit();
    if (style < 0.6) return [verb, ...nouns].join('_');
    if (style < 0.85) return verb + nouns.map(capital).join('');
    return [verb, ...nouns].join('-');
  }

  /** Common words are favored by many topics, rare ones by few, as in real catalogs. */
  #favorites(random: Random): readonly string[] {
    const words = new Set<string>();
    while (words.size < TOPIC_WORDS) words.add(this.#words[this.#general.draw(random)]!);
    return [...words];
  }
}

function inventWord(random: Random): string {
  const syllables = random.between(1, 3);
  let word = '';
  for (let i = 0; i < syllables; i++) word += random.pick(ONSETS) + random.pick(VOWELS);
  return word + random.pick(CODAS);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
