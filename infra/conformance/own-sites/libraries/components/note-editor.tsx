// components/note-editor.tsx
import { EditorContent, useEditor } from '@tiptap/react'
import StarterKit from '@tiptap/starter-kit'

export function NoteEditor() {
  const editor = useEditor({
    extensions: [StarterKit],
    content: '<p>Measure twice</p>',
    immediatelyRender: false,
  })
  const toggleBold = () => editor?.chain().focus().toggleBold().run()
  return (
    <>
      <button type="button" onClick={toggleBold}>
        Bold
      </button>
      <EditorContent editor={editor} />
    </>
  )
}
