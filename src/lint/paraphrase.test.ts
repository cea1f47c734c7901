import { describe, expect, it } from 'vitest';
import { questionsFor } from './paraphrase.ts';

const textsOf = (tool: object, server = 'Acme Desk') =>
  questionsFor({ name: 'create_ticket', description: '', ...tool }, server).map(({ from, text }) => `${from}: ${text}`);

describe('questionsFor', () => {
  it('asks with the first sentence, its task, another verb and the required parameters', () => {
    const inputSchema = { properties: { subject: {}, dueDate: {}, color: {} }, required: ['subject', 'dueDate'] };
    expect(
      textsOf({ description: 'Creates a ticket for a customer, using a template. Returns its id.', inputSchema }),
    ).toEqual([
      'sentence: create a ticket for a customer using a template',
      'task: create a ticket for a customer',
      'synonym: add a ticket for a customer',
      'parameters: create a ticket for a customer by subject, due Date',
    ]);
  });

  it('drops the names of the tool and of its server', () => {
    const texts = textsOf({ description: 'create_ticket makes tickets in Acme Desk' });
    expect(texts[0]).toBe('sentence: make tickets');
    expect(texts.join(' ')).not.toMatch(/acme|desk|create_ticket/i);
  });

  it('keeps what the tool works on, also where the server is named after it', () => {
    expect(textsOf({ description: 'List tasks in Task Manager' }, 'Task Manager')[0]).toBe('sentence: list tasks');
    expect(textsOf({ description: 'Add Task' }, 'Task Manager')[0]).toBe('sentence: add Task');
  });

  it('asks with the examples', () => {
    expect(textsOf({ description: 'Create a ticket', examples: ['My printer is broken'] })).toContain(
      'example: My printer is broken',
    );
  });

  it('asks for a tool without a description by the words of its name', () => {
    expect(textsOf({})).toEqual(['name: create ticket', 'synonym: add ticket']);
    expect(textsOf({ name: 'listOpenTickets' })[0]).toBe('name: list Open Tickets');
  });

  it('asks nothing twice, and nothing empty', () => {
    expect(textsOf({ description: '...', name: '-' })).toEqual([]);
    expect(textsOf({ description: 'Ping' })).toEqual(['sentence: ping']);
  });
});
