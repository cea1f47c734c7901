import type { EntityInput } from '../../src/model/entity.ts';

/**
 * A small library in which names and codes matter: rooms that differ by one digit, rules that differ behind the dot, case
 * files, a creature, a lamp. For each, neighbors that mean nearly the same and do not have the name.
 */
const ROOMS: readonly (readonly [code: string, text: string])[] = [
  ['D38', 'A pantry with shelves of dried fruit and a locked salt chest.'],
  ['D39', 'A guard room. Two benches, a rack of spears, a stove that is still warm.'],
  ['D40', 'A round chamber with a dry fountain. Under the rim a lever opens the northern gate.'],
  ['D41', 'A long gallery of portraits. One frame is empty and the wall behind it sounds hollow.'],
  ['D42', 'A chapel with broken benches and a bell without a clapper.'],
  ['D45', 'A stable for six horses with a ladder to the hay loft.'],
];

const RULES: readonly (readonly [code: string, text: string])[] = [
  ['75.1714', 'Self-rescue devices: every person underground carries one and is trained in its use each year.'],
  ['75.1725', 'Machinery is kept in safe operating condition, and what is unsafe is taken out of service at once.'],
  ['75.1729', 'Welding is done by trained persons, away from coal dust, with a fire extinguisher at hand.'],
  ['77.1607', 'Loading and haulage: nobody rides in the bucket of a loader.'],
];

const CASES: readonly (readonly [code: string, text: string])[] = [
  ['PII-2024-0041', 'A mailing list was sent with all addresses in the open. Closed after an apology.'],
  ['PII-2024-0042', 'A laptop with the records of two hundred patients was left on a train.'],
  ['PII-2024-0043', 'A visitor photographed a screen with customer names at the front desk.'],
];

const document = (path: string, name: string, body: string): EntityInput => ({ type: 'document', path, name, body });

const numbered = (
  prefix: string,
  title: string,
  entries: readonly (readonly [string, string])[],
): readonly EntityInput[] =>
  entries.map(([code, text]) => document(`${prefix}/${code}`, `${title} ${code}`, `${title} ${code}. ${text}`));

export const LIBRARY: readonly EntityInput[] = [
  ...numbered('rooms', 'Region', ROOMS),
  document('rooms/D', 'Area D', 'The eastern wing of the castle: its rooms, gates and passages at a glance.'),
  ...numbered('rules', '30 CFR', RULES),
  document('rules/overview', 'Mine rules', 'How the regulation of mines is laid out in parts and sections.'),
  ...numbered('cases', 'Case', CASES),
  document('creatures/aboleth', 'Aboleth', 'Armour 17, hit points 135. A creature of black lakes that enslaves minds.'),
  document('creatures/eel', 'Lake eel', 'A huge eel of deep lakes. It hunts by night and fears fire.'),
  document('creatures/mindfish', 'Mind fish', 'A fish of sunken caves that reads thoughts and whispers to swimmers.'),
  document('creatures/squid', 'Giant squid', 'A monster of the sea with ten arms that pulls ships down.'),
  document('places/velmorra', 'Harbour book', 'In Velmorra the tide turns twice an hour and ships pay in lamp oil.'),
  document('places/port', 'Port life', 'A harbour town with strange tides, merchants and ships from everywhere.'),
  document('code/cpp', 'Memory safety', 'Owning pointers in C++ free what they point to when they leave scope.'),
  document('code/c', 'Manual memory', 'In C every allocation is freed by hand; a pointer may dangle.'),
  document('code/csharp', 'Collected memory', 'In C# the collector frees objects that nothing points to any more.'),
  document('code/rust', 'Borrowing', 'In Rust the compiler proves that a pointer never outlives its owner.'),
  document('songs/lamp', 'A song', 'And the quiet harbour lamp burned low until the boats came home.'),
  document('songs/quiet', 'Another song', 'The lamp is lit, the harbour waits; how quiet are the boats tonight.'),
  document('safety/fire', 'Fire at work', 'Fire hazards: keep exits free, know the extinguishers, store fuel apart.'),
  document(
    'safety/work',
    'Safety handbook',
    'Safety requirements for staff: helmets, gloves, and a briefing before work.',
  ),
  document('safety/food', 'Kitchen hygiene', 'Wash hands, keep meat cold, and clean every board after use.'),
];
