/** The part of Cloudflare's module that this library uses. The module exists only in a Worker. */
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: import('./objects.ts').ObjectState
    protected readonly env: Env
    constructor(ctx: import('./objects.ts').ObjectState, env: Env)
  }
}

/** The two ends of a WebSocket. */
declare const WebSocketPair: new () => { readonly 0: WebSocket; readonly 1: import('./objects.ts').ListenerSocket }

/** A message that the platform responds to without waking an object, and the reply. */
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object

/** The pages and their scripts, each gzipped and base64-encoded. The build creates them from src/inspector. */
declare module '*/documents.js' {
  export const inspector: string
  export const page: string
  export const account: string
  export const resources: string
  export const state: string
  export const traffic: string
}
