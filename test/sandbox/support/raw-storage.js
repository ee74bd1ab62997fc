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
    const answers = []
    for (const work of await request.json()) {
      const objects = env[work.of]
      answers.push(await objects.get(objects.idFromName(work.name)).run(work))
    }
    return Response.json(answers)
  },
}
