import { readFile } from 'node:fs/promises'
import { caught } from '../caught.ts'

/**
 * The text of a file that a command line names.
 * @throws Error that names the file as it was typed.
 */
export async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = caught(error)
    throw new Error(`${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`, {
      cause: error,
    })
  }
}
