// components/surroundings.tsx
import { ThemeProvider } from 'next-themes'
import type { ReactNode } from 'react'
import { Toaster } from 'sonner'
import { QueryAdapter } from './query-adapter.tsx'

export function Surroundings({ children }: { children: ReactNode }) {
  return (
    <ThemeProvider attribute="class">
      <QueryAdapter>{children}</QueryAdapter>
      <Toaster />
    </ThemeProvider>
  )
}
