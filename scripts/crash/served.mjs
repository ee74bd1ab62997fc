// A gateway with a store in a file, served until it is killed: `node served.mjs`. Begins at the first line that it reads,
// which names the file, and prints its URL.
import { once } from 'node:events'
import { createGateway } from '../../dist/index.js'
import { serve, sqliteStore } from '../../dist/node.js'

const [line] = await once(process.stdin, 'data')
const store = sqliteStore(String(line).trim())
const gateway = createGateway({ store, authorityKeys: 'fresh', provisioningDelay: 0 })
const { url } = await serve(gateway)
console.log(url)
