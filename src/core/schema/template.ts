/** The names of a template's slots, such as `id` and `domain` in "{id} is in use by {domain}.". */
type Slots<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Slots<Rest> : never

/** The values of a template: one for each slot, except slots that other code fills. */
export type SlotValues<Text extends string, Given extends string = never> = {
  readonly [Name in Exclude<Slots<Text>, Given>]: string | number
}

/** Returns a function that fills the slots of a template, such as `{id}`. */
export function fillTemplate(template: string): (values: object) => string {
  return (values) => template.replace(/\{(\w+)\}/g, (_, name: string) => String(Reflect.get(values, name)))
}
