/** The item at a place that the list has, which the type checker cannot know. */
export function itemAt<T>(list: readonly T[], place: number): T {
  return list[place] as T // Whoever asks has looked at its length.
}
