import { MultiSelect, Select, TagsInput, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { LimitPolicy } from '@tollgate/contracts';
import { useId, useState } from 'react';
import { PointSlider } from '../../components/point-slider.js';
import { ruleOf, ruleWith, withRule } from '../../lib/limit-fields.js';
import { countsByValues, LIMIT_LABELS } from '../../lib/limit-text.js';
import { plural } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { formatTimeLeft } from '../../lib/time-format.js';
import { AdvancedTerms } from './advanced-terms.js';
import type { LintFinding } from './api.js';
import { describeAtLimit, type Moment, simulate } from './limit-simulation.js';
import { ALGORITHM_LABELS, Choice, fieldProps, type LimitFormProps, RuleFields } from './rule-fields.js';
import classes from './tiers.module.css';

/** Lint findings of one limit. */
export function RowFindings({ findings }: { findings: readonly LintFinding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul className={classes.findings}>
      {findings.map(({ code, severity, message, advice }) => {
        const Icon = severity === 'INFO' ? IconInfoCircle : IconAlertTriangle;
        return (
          <li key={code + message} data-severity={severity}>
            <Icon size={15} stroke={1.8} aria-hidden />
            <span>
              {message} <span className="tg-soft">{advice}</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Lint findings of a version: errors and warnings first, notes collapsed. */
export function Notes({ findings }: { findings: readonly LintFinding[] }) {
  const notes = findings.filter(({ severity }) => severity === 'INFO');
  const others = findings.filter(({ severity }) => severity !== 'INFO');
  return (
    <>
      <RowFindings findings={others} />
      {notes.length > 0 && (
        <details className={classes.notes}>
          <summary>{plural(notes.length, 'note')} on the published version</summary>
          <RowFindings findings={notes} />
        </details>
      )}
    </>
  );
}

const WIDTH = 480;
const HEIGHT = 96;
const GAP = 1.5;

const PARTS = ['passed', 'delayed', 'beyond', 'denied'] as const;
type Part = (typeof PARTS)[number];

/** Chart of a limit under load: allowed, marked, delayed and denied requests over time. */
export function LimitPicture({ policy }: { policy: LimitPolicy }) {
  const captionId = useId();
  const { moments, lengthMs, highest } = simulate(policy);
  const place = WIDTH / moments.length;
  const shown = PARTS.filter((part) => moments.some((moment) => moment[part] > 0.0001));
  const names: Record<Part, string> = {
    passed: 'allowed',
    delayed: 'delayed',
    beyond: policy.throttle?.mode === 'elastic' ? 'borrowed' : 'allowed, marked',
    denied: 'denied, 429',
  };
  const [selected, setSelected] = useState<number>();
  const point = selected === undefined ? undefined : moments[selected];
  const pointText = (moment: Moment, index: number) => {
    const at = formatTimeLeft((lengthMs * index) / moments.length);
    const demand = PARTS.reduce((sum, part) => sum + moment[part], 0);
    if (demand === 0) return `After ${at}: no requests`;
    const shares = shown.filter((part) => moment[part] > 0.0001);
    return `After ${at}: ${shares.map((part) => `${Math.round((moment[part] / demand) * 100)} % ${names[part]}`).join(', ')}`;
  };
  const times = [0, 1, 2, 3].map((part) => (part === 0 ? '0' : formatTimeLeft((lengthMs / 3) * part)));
  return (
    <figure className={classes.figure} aria-labelledby={captionId}>
      <PointSlider
        label="Limit under load. Arrow keys move through time."
        count={moments.length}
        selected={selected}
        onSelect={setSelected}
        describe={(index) => pointText(moments[index] as Moment, index)}
        className={classes.picture}
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className={classes.drawing}
          aria-hidden
        >
          {selected !== undefined && (
            <rect x={selected * place} y={0} width={place} height={HEIGHT} className={classes.selected} />
          )}
          {moments.map((moment, i) => (
            <Bar key={i} moment={moment} x={i * place + GAP / 2} width={place - GAP} highest={highest} />
          ))}
          {[1, 2].map((window) => (
            <line
              key={window}
              x1={(WIDTH / 3) * window}
              x2={(WIDTH / 3) * window}
              y1={0}
              y2={HEIGHT}
              className={classes.boundary}
            />
          ))}
        </svg>
      </PointSlider>
      <div className={classes.times} aria-hidden>
        {times.map((time) => (
          <span key={time}>{time}</span>
        ))}
      </div>
      <figcaption id={captionId} className={classes.caption}>
        <strong>{formatAmount(ruleOf(policy))}.</strong> {describeAtLimit(policy)}
      </figcaption>
      <ul className={classes.legend}>
        <li className={classes.load}>
          {point && selected !== undefined
            ? pointText(point, selected)
            : 'When demand is almost twice the limit'}
        </li>
        {shown.map((part) => (
          <li key={part}>
            <span className={classes.swatch} data-part={part} aria-hidden />
            {names[part]}
          </li>
        ))}
      </ul>
    </figure>
  );
}

interface BarProps {
  moment: Moment;
  x: number;
  width: number;
  highest: number;
}

function Bar({ moment, x, width, highest }: BarProps) {
  let y = HEIGHT;
  return PARTS.map((part) => {
    const height = (moment[part] / highest) * (HEIGHT - 4);
    if (height <= 0.01) return null;
    y -= height;
    return (
      <rect key={part} data-part={part} className={classes.bar} x={x} y={y} width={width} height={height} />
    );
  });
}

const MISSING_RULES = {
  shared: 'Shared counter',
  skip: 'Skip this limit',
  refuse: 'Reject the request',
};
const DIMENSIONS = ['user', 'ip', 'key', 'device', 'service', 'region', 'global'];

/** All fields of a limit except its rate; rarely used fields are collapsed. */
export function LimitForm(props: LimitFormProps) {
  const { policy, apis, onChange } = props;
  const own = fieldProps(props);
  const rule = ruleOf(policy);
  const operations = apis.find(({ key }) => key === policy.api)?.operations ?? [];
  return (
    <>
      <div className={classes.form}>
        <Select
          label="API"
          data={apis.map(({ key, name }) => ({ value: key, label: name }))}
          value={policy.api}
          onChange={(key) => key && onChange({ ...policy, api: key, operations: [] })}
          allowDeselect={false}
          {...own('api')}
        />
        <MultiSelect
          label={LIMIT_LABELS.operations}
          data={operations.map(({ name }) => name)}
          value={policy.operations}
          onChange={(chosen) => onChange({ ...policy, operations: chosen })}
          {...(policy.operations.length === 0 ? { placeholder: 'All operations' } : {})}
          {...own('operations')}
        />
        <TextInput
          label="Name"
          value={policy.name}
          onChange={(event) => onChange({ ...policy, name: event.currentTarget.value })}
          {...own('name')}
        />
        <Choice
          label={LIMIT_LABELS.algorithm}
          options={ALGORITHM_LABELS}
          value={policy.algorithm}
          onChange={(algorithm) => onChange(withRule(policy, ruleWith(algorithm, rule)))}
          {...own('algorithm')}
        />
        <RuleFields rule={rule} onRule={(changed) => onChange(withRule(policy, changed))} own={own} />
        <TagsInput
          className={classes.wideField}
          label={LIMIT_LABELS.per}
          description="Each tenant has its own counter. Add values to split it, such as user or ip. Start with global to count all tenants together."
          data={DIMENSIONS}
          value={policy.per}
          onChange={(per) => onChange({ ...policy, per })}
          {...(policy.per.length === 0 ? { placeholder: 'Tenant only' } : {})}
          maxTags={4}
          {...own('per')}
        />
        {countsByValues(policy.per) && (
          <Choice
            label={LIMIT_LABELS.onMissing}
            options={MISSING_RULES}
            value={policy.onMissing ?? 'shared'}
            onChange={(onMissing) => onChange({ ...policy, onMissing })}
            {...own('onMissing')}
          />
        )}
      </div>
      <AdvancedTerms {...props} />
    </>
  );
}
