// components/delivery-dialog.tsx
import { Dialog, DialogPanel, DialogTitle } from '@headlessui/react'
import { useState } from 'react'

export function DeliveryDialog() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Delivery
      </button>
      <Dialog
        open={isOpen}
        onClose={setOpen}
        className="fixed inset-0 grid place-items-center"
      >
        <DialogPanel className="rounded-lg bg-forest p-6 text-white">
          <DialogTitle>Delivered within a week</DialogTitle>
          <button type="button" onClick={() => setOpen(false)}>
            Close
          </button>
        </DialogPanel>
      </Dialog>
    </>
  )
}
