import { describe, expect, it } from 'vitest';
import { nameMatcher } from './name-matcher.ts';

const isNamed = (query: string, name: string) => nameMatcher(query)?.(name);

describe('nameMatcher', () => {
  it.each([
    ['get weather', 'get_weather'],
    ['getWeather', 'get-weather'],
    ['Weather, get', 'getWeather'],
    ['the weather', 'Weather'],
    ['CRÈME brûlée', 'creme brulee'],
    ['c++ linter', 'C++ Linter'],
    ['天気予報', '天気予報'],
    ['wetter-dienst', 'Wetter Dienst'],
  ])('query %s matches the name %s', (query, name) => {
    expect(isNamed(query, name)).toBe(true);
  });

  it.each([
    ['get weather', 'get_weather_forecast'],
    ['get weather forecast', 'get_weather'],
    ['c++ linter', 'C Linter'],
    ['weather', ''],
    ['weather', 'whether'],
  ])('query %s does not match the name %s', (query, name) => {
    expect(isNamed(query, name)).toBe(false);
  });

  it.each(['', '?!', 'what is the', 'show the current weather of several big cities'])(
    'query %j cannot be a name',
    (query) => {
      expect(nameMatcher(query)).toBeNull();
    },
  );
});
