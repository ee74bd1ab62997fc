// Replaces the Worker of the sandboxes, so that a test can write data of another version into their storage.
import { DurableObject } from 'cloudflare:workers'

class Raw extends DurableObject {
  run({ put, sql }) {
    if (put) this.ctx.storage.kv.put(...put)
    return sql ? [...this.ctx.storage.sql.exec(...sql)] : []
  }
}

export class Sandbox extends Raw {}

export class Account extends Raw {}

export default {
  async fetch(request, env) {
    const results = []
    for (const command of await request.json()) {
      const objects = env[command.namespace]
      results.push(await objects.get(objects.idFromName(command.name)).run(command))
    }
    return Response.json(results)
  },
}
