// components/button.tsx
import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../lib/class-names.ts'

const variants = cva('rounded-md px-3 py-2', {
  variants: {
    look: { solid: 'bg-forest text-white', plain: 'text-forest' },
  },
  defaultVariants: { look: 'solid' },
})

type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof variants> & { asChild?: boolean }

export function Button({ asChild, look, className, ...props }: ButtonProps) {
  const Element = asChild ? Slot.Root : 'button'
  return <Element className={cn(variants({ look }), className)} {...props} />
}
