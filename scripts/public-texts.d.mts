export interface PublicText {
  readonly file: string
  readonly line: number
  readonly text: string
}
export function publicTexts(root?: string): readonly PublicText[]
export function textsOfDocument(file: string, whole: string): readonly PublicText[]
export function textsOfSource(file: string, whole: string): readonly PublicText[]
export function sentencesIn(text: string): readonly string[]
export function wordsIn(sentence: string): number
