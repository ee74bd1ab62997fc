// The smallest possible competitor of a sandbox: a Worker and objects that store one JSON per POST, without checks.
export class Bare {
  constructor({ storage }) {
    this.sql = storage.sql
    this.sql.exec('CREATE TABLE IF NOT EXISTS records (id TEXT PRIMARY KEY, record TEXT NOT NULL)')
  }

  async fetch(request) {
    const { sql } = this
    if (request.method === 'POST') {
      const record = { id: crypto.randomUUID(), ...(await request.json()) }
      sql.exec('INSERT INTO records (id, record) VALUES (?, ?)', record.id, JSON.stringify(record))
      return Response.json(record, { status: 201 })
    }
    const id = request.url.slice(request.url.lastIndexOf('/') + 1)
    const [{ record }] = sql.exec('SELECT record FROM records WHERE id = ?', id)
    return Response.json(JSON.parse(record))
  }
}

export default {
  fetch(request, env) {
    const [, , name] = new URL(request.url).pathname.split('/')
    return env.SANDBOXES.get(env.SANDBOXES.idFromName(name)).fetch(request)
  },
}
