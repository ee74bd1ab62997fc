// What each room of src may import: `npm run lint`. A floor imports floors above it in this table. Within a floor, a room imports
// the rooms that it names. The rest of a floor's folder is the room `.`, and a file with a name here is its own room.
const FLOORS = {
  core: {
    schema: [],
    filter: ['schema'],
    operation: ['schema', 'filter'],
    engine: ['schema', 'operation'],
    store: ['schema', 'operation'],
  },
  service: {
    x509: [],
    ssh: ['x509'],
    provisioning: ['x509'],
    resources: ['x509', 'provisioning'],
    kit: ['x509', 'resources'],
    parts: ['x509', 'ssh', 'provisioning', 'resources'],
    policy: ['x509', 'resources'],
    ngrok: ['kit', 'parts', 'policy'],
  },
  traffic: { webhooks: [], jwt: [], '.': ['webhooks', 'jwt'] },
  control: {
    journal: [],
    '.': ['journal'],
    views: ['journal', '.'],
    'controls.ts': ['views', '.'],
  },
  gateway: {
    http: [],
    direct: [],
    'account-schema.ts': [],
    'option-schemas.ts': ['account-schema.ts'],
    'options.ts': ['account-schema.ts', 'option-schemas.ts'],
    'hosted-options.ts': ['options.ts'],
    openapi: ['options.ts', 'hosted-options.ts'],
    'table.ts': ['http'],
    '.': [
      'http',
      'direct',
      'openapi',
      'table.ts',
      'account-schema.ts',
      'option-schemas.ts',
      'options.ts',
      'hosted-options.ts',
    ],
  },
}

/** The folders for users of one kind import all floors, and of one another only these. */
const FOLDERS = {
  'index.ts': [],
  verify: [],
  testing: ['verify'],
  sandbox: [],
  server: ['testing', 'verify', 'inspector'],
}

/** These rooms import no floor above: ngrok's families are made as a stranger's would be, of the kit and the parts beside it. */
const ALONE = ['service/ngrok']

/** Only these import what fauxgate's own families share: a stranger's family needs the kit alone. */
const USERS_OF_PARTS = '^src/service/(parts|ngrok)/'

const toFolder = (path) => (path.endsWith('.ts') ? `${path.replaceAll('.', '[.]')}$` : `${path}/`)

/** Returns a pattern for the files of a room. */
function toPattern(floor, room, rooms) {
  if (room !== '.') return `^src/${floor}/${toFolder(room)}`
  const others = rooms.filter((name) => name !== '.').map(toFolder)
  return `^src/${floor}/(?!${others.join('|')})`
}

const isolate = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: [from, ...allowed] },
})

/** The types and tables that follow from the schemas of all floors. The core knows no service, so it imports only its own. */
const GENERATED = '^src/generated/'
const CORE_GENERATED = '^src/generated/core[.]ts$'

const floorNames = Object.keys(FLOORS)
const rooms = floorNames.flatMap((floor, index) => {
  const above = floorNames.slice(0, index).map((name) => `^src/${name}/`)
  return Object.entries(FLOORS[floor]).map(([room, allowed]) => {
    const pattern = (name) => toPattern(floor, name, Object.keys(FLOORS[floor]))
    const floorsAbove = ALONE.includes(`${floor}/${room}`) ? [] : above
    const generated = floor === 'core' ? CORE_GENERATED : GENERATED
    return isolate(`${floor}/${room} imports what is above it`, pattern(room), [
      ...floorsAbove,
      generated,
      ...allowed.map(pattern),
    ])
  })
})
const folders = Object.entries(FOLDERS).map(([folder, others]) =>
  isolate(
    `${folder} imports the floors`,
    `^src/${toFolder(folder)}`,
    [...floorNames, ...others, 'generated'].map((name) => `^src/${name}/`),
  ),
)

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rooms,
    ...folders,
    {
      name: 'only our own families import the parts beside the kit',
      severity: 'error',
      from: { path: '^src/', pathNot: USERS_OF_PARTS },
      to: { path: '^src/service/parts/' },
    },
    {
      // The page names the types of what it asks a server for.
      name: 'the inspector imports nothing but types',
      severity: 'error',
      from: { path: '^src/inspector/' },
      to: { path: '^src/', pathNot: '^src/inspector/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'every file is in a room of the table',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          ...floorNames.flatMap((floor) =>
            Object.keys(FLOORS[floor]).map((room) => toPattern(floor, room, Object.keys(FLOORS[floor]))),
          ),
          ...[...Object.keys(FOLDERS), 'inspector', 'generated'].map((folder) => `^src/${toFolder(folder)}`),
        ],
      },
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
