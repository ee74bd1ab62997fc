/** The part of the platform's own module that this library uses. It is there where a Worker runs, and nowhere else. */
declare module 'cloudflare:workers' {
  export abstract class DurableObject<Env = unknown> {
    protected readonly ctx: import('./platform.ts').ObjectState
    protected readonly env: Env
    constructor(ctx: import('./platform.ts').ObjectState, env: Env)
  }
}

/** The two ends of a WebSocket. */
declare const WebSocketPair: new () => { readonly 0: WebSocket; readonly 1: WebSocket }

/** What the platform answers to a message without waking an object. */
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object
