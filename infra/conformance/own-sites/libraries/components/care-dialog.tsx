// components/care-dialog.tsx
import { Link } from 'portico'
import { Dialog } from 'radix-ui'
import { Button } from './button.tsx'

export function CareDialog() {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <Button className="px-6">Care</Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 bg-black/50" />
        <Dialog.Content className="fixed inset-8 bg-white p-6">
          <Dialog.Title>Oil it once a year</Dialog.Title>
          <Dialog.Description>With linseed oil.</Dialog.Description>
          <Button asChild look="plain">
            <Link href="/">To the shop</Link>
          </Button>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
