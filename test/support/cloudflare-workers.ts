/** The module `cloudflare:workers`, as far as the sandboxes use it in this process. */
export class DurableObject {
  constructor(
    readonly ctx: object,
    readonly env: object,
  ) {}
}
