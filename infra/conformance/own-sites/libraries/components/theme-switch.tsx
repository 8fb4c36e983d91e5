// components/theme-switch.tsx
import { useTheme } from 'next-themes'

export function ThemeSwitch() {
  const { setTheme } = useTheme()
  return (
    <>
      <button type="button" onClick={() => setTheme('light')}>
        Light
      </button>
      <button type="button" onClick={() => setTheme('dark')}>
        Dark
      </button>
    </>
  )
}
