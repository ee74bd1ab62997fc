/** The button or form that is being used, and the error of the last one, which is shown beside it. */
export const used: { control: object | undefined; error: { readonly at: object; readonly text: string } | undefined } =
  {
    control: undefined,
    error: undefined,
  }
