import { z } from 'zod';
import type { SettingDefinitions } from './setting-definition.ts';
import { word } from './setting-values.ts';

/** Where imported and reported edges are kept. */
export const GRAPH_SETTINGS = {
  graph_url: {
    schema: z.url({ protocol: /^(?:bolt|neo4j)(?:\+s|\+ssc)?$/, error: 'must be a bolt or neo4j address' }).optional(),
    env: ['DOWSER_GRAPH_URL'],
    shown: 'the data folder',
    meaning:
      'The address of a graph database that speaks Bolt, such as `bolt://127.0.0.1:7687`: Memgraph, Neo4j or FalkorDB. Needs `npm install neo4j-driver`.',
  },
  graph_user: {
    schema: word.optional(),
    env: ['DOWSER_GRAPH_USER'],
    meaning: 'The user of the graph database. Without it, Dowser connects without a login.',
  },
  graph_password: {
    schema: word.optional(),
    env: ['DOWSER_GRAPH_PASSWORD'],
    meaning: 'The password of `graph_user`. Never printed or logged.',
    secret: true,
  },
  graph_database: {
    schema: word.optional(),
    env: ['DOWSER_GRAPH_DATABASE'],
    shown: "the server's own",
    meaning: 'The database of the graph server. FalkorDB needs a name.',
  },
} as const satisfies SettingDefinitions;
