/** The initial resources of a gateway, by family: `create` bodies or, for modules, `replace` bodies with the IDs from the path. */
export type InitialOf<Calls> = {
  readonly [Family in keyof Calls]?: readonly BodyOf<Calls[Family]>[] | undefined
}

type BodyOf<Calls> = Calls extends { create: (body: infer Body) => unknown }
  ? Exclude<Body, undefined>
  : Calls extends { replace: (ids: infer Ids, body: infer Body) => unknown }
    ? Ids & Exclude<Body, undefined>
    : never
