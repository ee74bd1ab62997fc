// What each room of src may import, from the lowest to the highest: `npm run lint`. A file right in src is a room of its own.
const parts = ['schema', 'filter', 'operation', 'engine', 'x509', 'provisioning', 'resources', 'journal', 'control']
const faces = [...parts, 'views', 'http', 'direct', 'openapi', 'store']

const ROOMS = {
  schema: [],
  filter: ['schema'],
  operation: ['schema', 'filter'],
  engine: ['schema', 'operation'],
  x509: ['schema', 'operation'],
  provisioning: ['schema', 'operation', 'x509'],
  resources: ['schema', 'filter', 'operation', 'engine', 'x509', 'provisioning'],
  journal: ['schema', 'operation', 'engine'],
  control: ['schema', 'operation', 'engine', 'x509', 'provisioning', 'resources', 'journal'],
  views: [...parts],
  controls: ['operation', 'control', 'views'],
  direct: ['schema', 'operation', 'engine', 'resources'],
  http: ['schema', 'operation', 'engine', 'x509', 'journal', 'control'],
  openapi: ['schema', 'operation', 'resources', 'control', 'controls'],
  store: ['schema', 'operation'],
  kit: ['schema', 'filter', 'operation', 'x509', 'resources'],
  table: ['schema', 'operation', 'resources', 'control', 'controls', 'http', 'kit'],
  // Its families are made as a stranger's would be: of the kit alone.
  ngrok: ['kit'],
  gateway: [...faces, 'controls', 'table', 'ngrok'],
  index: [...faces, 'controls', 'gateway'],
  verify: ['schema', 'operation', 'resources', 'ngrok', 'table', 'gateway'],
  testing: [...faces, 'table', 'gateway', 'verify'],
  inspector: [],
  server: [...faces, 'controls', 'table', 'gateway', 'testing', 'verify', 'inspector'],
  sandbox: [...faces, 'gateway'],
}

const within = (rooms) => `^src/(${rooms.join('|')})[./]`

const rooms = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room} imports what is below it`,
  severity: 'error',
  from: { path: within([room]) },
  to: {
    path: '^src/',
    pathNot: [within([room, ...allowed]), '^src/generated/'],
    // The page names the types of what it asks a server for.
    ...(room === 'inspector' && { dependencyTypesNot: ['type-only'] }),
  },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rooms,
    {
      name: 'every room is in the table',
      severity: 'error',
      from: { path: '^src/', pathNot: within([...Object.keys(ROOMS), 'generated']) },
      to: {},
    },
    {
      // Generated types come from schemas of every room, and declarations of a library may name types of ours.
      name: 'no circles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { pathNot: '^src/generated/|[.]d[.]ts$' } },
    },
    {
      name: 'Node is for the server: all else runs in browsers and workers too',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    builtInModules: { add: ['node:sqlite'] },
  },
}
