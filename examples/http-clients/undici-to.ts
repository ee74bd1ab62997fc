import { type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici'

/** Sends undici's requests for one origin to another, such as a served gateway. Returns a function that undoes it. */
export function undiciTo(origin: string, served: string): () => void {
  const before = getGlobalDispatcher()
  const redirected: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (request, handler) =>
    dispatch(request.origin === origin ? { ...request, origin: served } : request, handler)
  setGlobalDispatcher(before.compose(redirected))
  return () => setGlobalDispatcher(before)
}
