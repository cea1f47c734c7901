import type { FieldRules } from './field-account.ts';
import { flagValue, objectValue, pathValue, statusValue, textsValue, textValue, visibilityValue } from './values.ts';

const CHECKED = 'Dowser checks by itself what answers.';
const RATINGS = 'Users of the old sign-in gave the ratings.';
const IDENTITY = 'Dowser names an entity by its type and path.';
const ADDED = 'Dowser notes when an entity was added here.';
const FEDERATION = 'It is about the peers of the old registry.';

/** Fields that documents of every kind have. `updated_at` is kept with the source of the entity. */
export const SHARED_FIELDS: FieldRules = {
  _id: { to: 'path', read: pathValue },
  path: { to: 'path', read: pathValue },
  description: { to: 'description', read: textValue },
  tags: { to: 'tags', read: textsValue },
  external_tags: { to: 'tags', read: textsValue },
  is_enabled: { to: 'is_enabled', read: flagValue },
  status: { to: 'status', read: statusValue },
  visibility: { to: 'visibility', read: visibilityValue },
  allowed_groups: { to: 'allowed_groups', read: textsValue },
  license: { to: 'license', read: textValue },
  repository_url: { to: 'repository', read: textValue },
  owner: { to: 'metadata.owner', read: textValue },
  registered_by: { to: 'metadata.owner', read: textValue },
  ans_metadata: { to: 'metadata.ans_metadata', read: objectValue },
  updated_at: { to: 'updated_at', read: textValue },
  registered_at: { why: ADDED },
  created_at: { why: ADDED },
  id: { why: IDENTITY },
  _identity_url_normalized: { why: IDENTITY },
  num_stars: { why: RATINGS },
  rating_details: { why: RATINGS },
  sync_metadata: { why: FEDERATION },
  source: { why: FEDERATION },
  health_status: { why: CHECKED },
  last_checked_time: { why: CHECKED },
  last_health_check: { why: CHECKED },
};
