/** Lets requests to a host bypass the proxy that NODE_USE_ENV_PROXY enables. Node's `fetch` reads the variables for each request. */
export function bypassProxy(host: string, environment: NodeJS.ProcessEnv): void {
  for (const name of ['no_proxy', 'NO_PROXY']) environment[name] = [environment[name] ?? [], host].flat().join()
}
