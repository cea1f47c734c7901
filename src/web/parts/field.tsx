interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
}

export function Field({ label, value, onType, placeholder, isRequired }: FieldProps) {
  return (
    <label class="stacked">
      <span class="legend">{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder ?? ''}
        required={isRequired === true}
        autocomplete="off"
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
  );
}

export function TextField({ label, value, onType, placeholder }: Omit<FieldProps, 'isRequired'>) {
  return (
    <label class="stacked">
      <span class="legend">{label}</span>
      <textarea
        value={value}
        placeholder={placeholder ?? ''}
        spellcheck={false}
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </label>
  );
}
