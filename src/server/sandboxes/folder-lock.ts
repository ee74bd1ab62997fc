import { createHash } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asSystemError } from '../errors.ts'

/**
 * Locks a folder for this process, with a socket in the folder, which works on every version of Node. The socket closes when its process
 * ends, even if the process is killed. Returns a function that releases the lock.
 * @throws Error if another process has the lock.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16)
  // On Windows, use a named pipe. Elsewhere, the path of a socket may be up to 103 bytes long, and some file systems do not support
  // sockets.
  if (process.platform === 'win32') return lockAt(`\\\\.\\pipe\\fauxgate-${name}`, folder)
  const inFolder = join(folder, 'lock.sock')
  if (Buffer.byteLength(inFolder) > 100) return lockAt(join(tmpdir(), `fauxgate-${name}.sock`), folder)
  try {
    return await lockAt(inFolder, folder)
  } catch (error) {
    if (!['ENOTSUP', 'EOPNOTSUPP', 'EPERM'].includes(String(asSystemError(error).code))) throw error
    return lockAt(join(tmpdir(), `fauxgate-${name}.sock`), folder)
  }
}

async function lockAt(path: string, folder: string): Promise<() => void> {
  try {
    return unlockLater(await listen(path))
  } catch (error) {
    if (asSystemError(error).code !== 'EADDRINUSE') throw error
  }
  if (await isAnswered(path)) throw new Error(`${folder} is in use by another "fauxgate sandbox" process.`)
  // The process that listened there was killed.
  rmSync(path, { force: true })
  return unlockLater(await listen(path))
}

function unlockLater(server: Server): () => void {
  server.unref()
  return () => void server.close()
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => server.once('error', reject).listen(path, () => resolve(server)))
}

/** Returns whether a process is listening on a path. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
