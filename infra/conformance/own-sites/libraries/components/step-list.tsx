// components/step-list.tsx
import { DndContext, type DragEndEvent } from '@dnd-kit/core'
import { arrayMove, SortableContext, useSortable } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { useState } from 'react'

export function StepList() {
  const [steps, setSteps] = useState(['Saw', 'Plane', 'Oil'])
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const [from, to] = [active.id, over?.id ?? active.id].map(String)
    setSteps(arrayMove(steps, steps.indexOf(from), steps.indexOf(to)))
  }
  return (
    <DndContext id="steps" onDragEnd={onDragEnd}>
      <SortableContext items={steps}>
        {steps.map((step) => (
          <Step key={step} step={step} />
        ))}
      </SortableContext>
    </DndContext>
  )
}

function Step({ step }: { step: string }) {
  const sortable = useSortable({ id: step })
  const transform = CSS.Transform.toString(sortable.transform)
  return (
    <p
      ref={sortable.setNodeRef}
      style={{ transform, transition: sortable.transition }}
      {...sortable.attributes}
      {...sortable.listeners}
    >
      {step}
    </p>
  )
}
