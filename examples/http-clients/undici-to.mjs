import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'

/** Sends what undici is asked for at one origin to another, such as a served gateway; answers what undoes that. */
export function undiciTo(origin, served) {
  const before = getGlobalDispatcher()
  const redirected = (dispatch) => (request, handler) =>
    dispatch(request.origin === origin ? { ...request, origin: served } : request, handler)
  setGlobalDispatcher(before.compose(redirected))
  return () => setGlobalDispatcher(before)
}
