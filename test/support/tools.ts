import { execFileSync } from 'node:child_process'

/** Installs the packages in `tools/` that tests use, unless they are there. */
export default function setup(): void {
  execFileSync(process.execPath, ['tools/install.mjs'], { stdio: 'inherit' })
}
