// A gateway with a store in a file, served until it is killed: `node served.mjs FILE`. Begins at the first line that it reads,
// and prints its URL.
import { once } from 'node:events'
import { createGateway } from '../../dist/index.js'
import { serve, sqliteStore } from '../../dist/node.js'

await once(process.stdin, 'data')
const store = sqliteStore(process.argv[2])
const gateway = createGateway({ store, authorityKeys: 'fresh', provisioningDelay: 0 })
const { url } = await serve(gateway)
console.log(url)
