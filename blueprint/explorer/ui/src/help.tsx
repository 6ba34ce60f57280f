// The keys, in a dialog that the browser itself keeps the focus in.
import { useEffect, useRef } from "preact/hooks"
import { helping, KEYS } from "./keyboard"

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (helping.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [helping.value])
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => (helping.value = false)}>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
