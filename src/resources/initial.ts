/** What a gateway begins with, by family: what `create` takes or, for modules, `replace` with the ids. */
export type InitialOf<Calls> = {
  readonly [Family in keyof Calls]?: readonly BodyOf<Calls[Family]>[] | undefined
}

type BodyOf<Calls> = Calls extends { create: (body: infer Body) => unknown }
  ? Exclude<Body, undefined>
  : Calls extends { replace: (ids: infer Ids, body: infer Body) => unknown }
    ? Ids & Exclude<Body, undefined>
    : never
