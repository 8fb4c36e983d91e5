// components/origin.tsx
import { AnimatePresence, motion } from 'motion/react'
import { useState } from 'react'

export function Origin() {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(!isOpen)}>
        Origin
      </button>
      <AnimatePresence>
        {isOpen && (
          <motion.p animate={{ opacity: [0, 1] }} exit={{ opacity: 0 }}>
            Grown in Norway
          </motion.p>
        )}
      </AnimatePresence>
    </>
  )
}
