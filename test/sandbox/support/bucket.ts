import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface StoredObject {
  readonly body: Buffer
  readonly etag: string
}

interface BucketResponse {
  readonly status: number
  readonly etag?: string
  readonly body?: string | Buffer
}

/** An S3 bucket in this process. It handles the requests of a cluster: conditional writes, reads, lists, deletions. */
export class Bucket {
  readonly #objects = new Map<string, StoredObject>()
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    // This event never comes for the request of a killed process.
    request.on('end', () => {
      const { status, etag, body } = this.#respond(request, Buffer.concat(parts))
      response.writeHead(status, { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', ...(etag && { etag }) }).end(body)
    })
  })

  /** Starts the bucket. Returns the environment variables with its address. */
  async start(): Promise<Readonly<Record<string, string>>> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      AWS_REGION: 'auto',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
    }
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #respond({ method, url = '', headers }: IncomingMessage, body: Buffer): BucketResponse {
    const { pathname, searchParams } = new URL(url, 'http://bucket')
    const [, , ...names] = decodeURIComponent(pathname).split('/')
    const key = names.join('/')
    const stored = this.#objects.get(key)
    if (searchParams.has('list-type')) return { status: 200, body: this.#list(searchParams) }
    if (method === 'GET') return stored ? { status: 200, ...stored } : createError(404, 'NoSuchKey')
    if (headers['if-none-match'] === '*' && stored) return createError(412, 'PreconditionFailed')
    if (headers['if-match'] !== undefined && headers['if-match'] !== stored?.etag)
      return createError(412, 'PreconditionFailed')
    if (method === 'DELETE') {
      this.#objects.delete(key)
      return { status: 204 }
    }
    if (method !== 'PUT') return createError(501, 'NotImplemented')
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`
    this.#objects.set(key, { body, etag })
    return { status: 200, etag }
  }

  /** Lists all objects on one page. */
  #list(parameters: URLSearchParams): string {
    const prefix = parameters.get('prefix') ?? ''
    const delimiter = parameters.get('delimiter')
    const matches = [...this.#objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
    const folders = new Set<string>()
    const contents = matches.flatMap(([key, { body, etag }]) => {
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
      if (end >= 0) folders.add(key.slice(0, end + 1))
      const facts = `<LastModified>2026-01-01T00:00:00Z</LastModified><ETag>${etag}</ETag><Size>${body.length}</Size>`
      return end >= 0 ? [] : [`<Contents><Key>${key}</Key>${facts}</Contents>`]
    })
    const common = [...folders].map((each) => `<CommonPrefixes><Prefix>${each}</Prefix></CommonPrefixes>`)
    const all = `<IsTruncated>false</IsTruncated>${contents.join('')}${common.join('')}`
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>${all}</ListBucketResult>`
  }
}

function createError(status: number, code: string): BucketResponse {
  return { status, body: `<Error><Code>${code}</Code></Error>` }
}
